// Runs an emitted function at every point; with cotangents, once for each one-hot cotangent. Writes raw doubles.
import { readFileSync, writeFileSync } from "node:fs";

const [sourceFile, pointsFile, outputFile, knobs, cotangents] = process.argv.slice(2);
const run = new Function(`${readFileSync(sourceFile, "utf8")}; return emitted;`)();
const buffer = readFileSync(pointsFile);
const points = new Float64Array(buffer.buffer, buffer.byteOffset, buffer.byteLength / 8);
const [width, ones] = [Number(knobs), Number(cotangents)];
const rows = [];
for (let start = 0; start < points.length; start += width) {
  const input = new Float64Array(width + ones);
  input.set(points.subarray(start, start + width));
  if (ones === 0) rows.push(...run(input));
  for (let one = width; one < width + ones; one++) {
    input[one] = 1;
    rows.push(...run(input));
    input[one] = 0;
  }
}
writeFileSync(outputFile, new Uint8Array(Float64Array.from(rows).buffer));
