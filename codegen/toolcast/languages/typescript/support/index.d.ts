/** One violation of a contract, worded for the writer of the value. */
export interface Violation {
  /** Where in the value: `$.a.b[0]`, or `$["a b"]` for a name that is no identifier. */
  readonly path: string;
  /** What is wrong, in words. */
  readonly message: string;
  /** The keyword of JSON Schema. */
  readonly keyword: string;
  /** The value of the keyword. */
  readonly expected?: unknown;
}

/** A JSON Schema of draft 2020-12, whose references lead to its `$defs`. Integers past 2**53 are bigints. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A pattern that a regular expression may be slow with, as the compiler found it to be. */
export interface SlowPattern {
  readonly fast?: number;
  readonly beyond?: number;
  readonly compared?: number;
  readonly automaton?: object;
  readonly levels?: readonly number[];
}

/** A value that a contract refuses. */
export declare class ContractError extends Error {
  constructor(violations: readonly Violation[]);
  /** All that is wrong with the value, 50 violations at most. */
  readonly violations: readonly Violation[];
}

/**
 * What a tool's contract decides about a value, as the tool's own program does: JSON Schema 2020-12, and an explicit
 * null of an optional property that refuses null counts as absent.
 *
 * `Value` is what `parse` returns.
 */
export declare class Contract<Value = unknown> {
  constructor(
    schema: JsonSchema,
    options?: {
      readonly emptyIsAbsent?: readonly string[];
      readonly injected?: readonly string[];
      readonly defaults?: Readonly<Record<string, object>>;
      readonly slowPatterns?: Readonly<Record<string, SlowPattern>>;
    },
  );
  /** The schema, as the tool's contract has it. */
  readonly schema: JsonSchema;
  /** Whether the contract accepts a value. */
  accepts(value: unknown): boolean;
  /** All that is wrong with a value, 50 violations at most; none where it is accepted. */
  violations(value: unknown): Violation[];
  /** The typed value, with the defaults of what is absent. Throws ContractError. */
  parse(value: unknown): Value;
  /**
   * The typed value of a JSON text, read exactly: an integer past 2**53 is a bigint, an object that has a key twice is
   * refused. Throws ContractError.
   */
  parseText(text: string): Value;
}

/** A schema as JSON Schema 2020-12 has it, without allowances and defaults. */
export declare class Validator {
  constructor(
    schema: JsonSchema,
    options?: {
      readonly document?: JsonSchema;
      readonly formats?: boolean;
      readonly slowPatterns?: Readonly<Record<string, SlowPattern>>;
    },
  );
  readonly schema: JsonSchema;
  accepts(value: unknown): boolean;
  violations(value: unknown, limit?: number): Violation[];
}

/** Read a JSON text exactly: integers past 2**53 are bigints. */
export declare function readJson(
  text: string,
): { value: unknown; problem: null } | { value: undefined; problem: Violation };

/** Hints about a tool's behaviour, in MCP's terms; what the spec does not state is absent. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool with parameters that the program fills in: `parameters` is without them, and refuses them. */
export interface InjectedTool<Complete = unknown> {
  /** Where the values come from, by parameter. */
  readonly inject: Readonly<Record<string, string>>;
  /** The contract of all parameters: of what `parameters.parse` returns, and the program's. */
  readonly complete: Contract<Complete>;
}

/** A tool, as its spec declares it. */
export interface Tool<Params = unknown, Result = unknown> {
  readonly name: string;
  /** The folder of its spec; empty at the root. */
  readonly group: string;
  readonly summary: string;
  /** What models read. */
  readonly description: string;
  readonly permission: "read" | "write" | "execute" | "network";
  readonly annotations: Annotations;
  readonly parameters: Contract<Params>;
  /** Null where the spec has no typed result. */
  readonly result: Contract<Result> | null;
}
