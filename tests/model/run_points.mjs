// Runs an emitted function at every row of inputs and writes the results as raw doubles.
import { readFileSync, writeFileSync } from "node:fs";

const [sourceFile, rowsFile, outputFile, width] = process.argv.slice(2);
const run = new Function(`${readFileSync(sourceFile, "utf8")}; return emitted;`)();
const buffer = readFileSync(rowsFile);
const rows = new Float64Array(buffer.buffer, buffer.byteOffset, buffer.byteLength / 8);
const results = [];
for (let start = 0; start < rows.length; start += Number(width)) {
  results.push(...run(rows.subarray(start, start + Number(width))));
}
writeFileSync(outputFile, new Uint8Array(Float64Array.from(results).buffer));
