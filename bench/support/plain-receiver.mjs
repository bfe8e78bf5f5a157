// An HTTP server that receives a body and does nothing with it, to measure what only loopback and Node cost.
import { createServer } from "node:http";

const server = createServer((request, answer) => {
  request.on("data", () => {});
  request.once("end", () => answer.writeHead(201).end());
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
