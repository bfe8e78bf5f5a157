/**
 * `torch.save` files.
 *
 * @module
 */
export { openTorch } from "./torch.ts";
