/**
 * Local models in ONNX as policies. For Node.
 *
 * @module
 */
export { type OnnxOptions, openOnnxPolicy } from "./open-policy.ts";
