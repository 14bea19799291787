// Contracts of tools, and the exact validator of JSON Schema 2020-12 that they use. It needs no library.

export { Contract, ContractError } from "./contract.js";
export { readJson } from "./read_json.js";
export { Validator } from "./validator.js";
