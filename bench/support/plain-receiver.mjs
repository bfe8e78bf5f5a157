// An HTTP server that receives a body and does nothing with it: what loopback and Node cost by themselves.
import { createServer } from "node:http";

const server = createServer((request, answer) => {
  request.on("data", () => {});
  request.once("end", () => answer.writeHead(201).end());
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
