// Reads {source, name, points} from standard input, writes the function's results at every point.
// JSON has no infinities, NaN or negative zero, so those travel as strings.
import { readFileSync } from "node:fs";

const { source, name, points } = JSON.parse(readFileSync(0, "utf8"));
const evaluate = new Function(`${source}; return ${name};`)();
const plain = (value) => typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0);
const text = (value) => (Object.is(value, -0) ? "-0" : String(value));
const results = points.map((point) => evaluate(point.map(Number)).map((value) => (plain(value) ? value : text(value))));
process.stdout.write(JSON.stringify(results));
