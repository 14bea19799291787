// The exact validator for JSON Schema 2020-12.

import { Compiler } from "./compiler.js";
import { NotJsonError, countParts, plain } from "./json_values.js";
import { BRANCHES, BRANCHES_PER_PART, Run, TooManyBranchesError, violation } from "./node.js";
import { Searches, SearchTooLongError } from "./patterns.js";

const TOO_DEEP = "the value is nested too deeply for this schema";

/** A schema compiled once, ready for any number of values. It decides as JSON Schema 2020-12 does. */
export class Validator {
  #node;

  /**
   * @param {object | boolean} schema - the schema
   * @param {object} [options]
   * @param {object} [options.document] - the document of its references; the schema itself where it is absent
   * @param {boolean} [options.formats] - assert formats
   * @param {Record<string, object>} [options.slowPatterns] - patterns that a regular expression may be slow with
   * @throws {SyntaxError} for a pattern that is none, and an Error for a reference that leads nowhere
   */
  constructor(schema, { document = schema, formats = true, slowPatterns = {} } = {}) {
    this.schema = schema;
    this.#node = new Compiler(document, { formats, slowPatterns }).compile(schema);
  }

  /** Whether the schema accepts a value. */
  accepts(value, searches) {
    return this.violations(value, 1, searches).length === 0;
  }

  /**
   * The violations of a value, `limit` at most; none exactly where it is accepted. What judges one value several
   * times passes the `searches` of the first time.
   */
  violations(value, limit = 50, searches = new Searches()) {
    try {
      const json = plain(value);
      return this.#run(json, searches, limit, (run) =>
        this.#node.check(json, run) ? [] : this.#node.explain(json, "$", run),
      );
    } catch (problem) {
      return [asViolation(problem)];
    }
  }

  /**
   * The value with the two allowances: an explicit null of an optional property whose schema refuses null is dropped,
   * and a whole double past 2**53 becomes the bigint that it is where the schema requires an integer.
   */
  settle(value, searches = new Searches()) {
    try {
      let last = plain(value);
      for (;;) {
        const settled = this.#run(last, searches, 1, (run) => this.#node.settle(last, run));
        if (settled === last) return last;
        last = settled;
      }
    } catch (problem) {
      asViolation(problem);
      return value;
    }
  }

  #run(value, searches, limit, judge) {
    try {
      return judge(new Run(searches, limit));
    } catch (problem) {
      if (!(problem instanceof TooManyBranchesError)) throw problem;
      return judge(new Run(searches, limit, Math.max(BRANCHES, BRANCHES_PER_PART * countParts(value))));
    }
  }
}

/** What a refusal says; any other problem is thrown again. */
function asViolation(problem) {
  if (problem instanceof NotJsonError) return violation("$", problem.message, problem.keyword);
  if (problem instanceof TooManyBranchesError) return violation("$", problem.message, "branches", BRANCHES);
  if (problem instanceof SearchTooLongError) return violation("$", problem.message, "pattern", problem.pattern);
  if (problem instanceof RangeError) return violation("$", TOO_DEEP, "depth");
  throw problem;
}
