import type { Decision } from './decisions.ts'
import type { PolicyProtocol } from './options.ts'
import type { Phase } from './phases.ts'
import type { ActionOutcome, OwnResponse, Replacer, Visit } from './visit.ts'

/** The facts common to all fields of an action's config. */
interface FieldFacts {
  /** The sentence that hover texts, the reference, and the JSON Schema show. */
  readonly about: string
  readonly isRequired?: true
  /** True if messages, the journal, and snapshots must not show the value. */
  readonly isSecret?: true
  /** True if `${…}` in the field's strings is CEL. */
  readonly takesCel?: true
  /** The default value of an omitted field, as JSON. */
  readonly default?: unknown
}

/** The formats that can be required of a string. */
export type Format =
  | 'certificate'
  | 'certificate-or-id'
  | 'cidr'
  | 'cookie-name'
  | 'credentials'
  | 'domain'
  | 'header-value'
  | 'pattern'
  | 'printable'
  | 'private-key'
  | 'query-value'
  | 'url'

export type Field = FieldFacts &
  (
    | {
        readonly kind: 'text'
        readonly format?: Format
        readonly choices?: readonly string[]
        /** True if choices are case-insensitive. */
        readonly isAnyCase?: true
        /** The error code for a value that is not one of the choices. Default: 2222. */
        readonly choiceNumber?: number
        readonly minLength?: number
        readonly maxLength?: number
      }
    | { readonly kind: 'expression'; readonly result: 'bool' | 'any'; readonly scope?: 'retry' }
    | { readonly kind: 'integer' | 'number'; readonly min: number; readonly max: number }
    | { readonly kind: 'boolean' }
    /** A duration such as `90s`. Limits are in ms. */
    | { readonly kind: 'duration'; readonly min: number; readonly max: number; readonly step?: number }
    | {
        readonly kind: 'list'
        readonly item: Field
        readonly min?: number
        readonly max?: number
        readonly isUnique?: true
        /** True if a single item is allowed without a list. */
        readonly takesOne?: true
        /** The error code for too many items. Default: 2218. */
        readonly countNumber?: number
      }
    /** A map from names to values. Header names have their own rules. */
    | {
        readonly kind: 'map'
        readonly value: Field
        readonly keys: 'header' | 'any'
        readonly min?: number
        readonly max?: number
        readonly countNumber?: number
      }
    | { readonly kind: 'object'; readonly fields: Fields }
    | { readonly kind: 'header-name' }
    | { readonly kind: 'ip-policy' }
    /** The variables of `set-vars`: a list of maps with one entry each. */
    | { readonly kind: 'variables'; readonly maxDepth: number }
    /** Any JSON value. */
    | { readonly kind: 'any' }
  )

export type Fields = Readonly<Record<string, Field>>

/** The type of a variable: a CEL type or its nested variables. `_text` is the type of a variable that has nested variables. */
export type Variables = { readonly [name: string]: Variable | Variables }

export interface Variable {
  readonly type: string
  readonly about: string
  /** The values that a string can have. Default: any value. */
  readonly choices?: readonly string[]
  /** The form of the values according to the service's documentation. Default: any form. */
  readonly form?: Form
}

/** The form of the values of a variable. */
export interface Form {
  /** The sentence about the values, such as `Methods are uppercase.` */
  readonly about: string
  /** True if there may be values that the service's page does not list. */
  readonly isOpen?: true
  /** A pattern that matches the beginning of each value or the whole value. */
  readonly start?: RegExp
  readonly whole?: Pick<RegExp, 'test'>
  /** A pattern that does not match any part of a value. */
  readonly never?: RegExp
  /** Returns the string that was probably meant, if any. */
  readonly fix?: (text: string) => string
}

/** An additional problem with a config that involves more than one field. */
export interface ConfigProblem {
  readonly number: number
  readonly path: readonly (string | number)[]
  readonly message: string
  /** True if the problem is the last key of the path, not its value. */
  readonly isOfKey?: true
  /** The missing field that the value requires. */
  readonly needs?: string
}

export type Config = Readonly<Record<string, unknown>>

/** The value of a field in the form that `run` receives: durations are in ms, patterns are compiled, and each `${…}` is replaced. */
type ValueOf<F> = F extends { readonly format: 'pattern' }
  ? Replacer
  : F extends { readonly kind: 'text' | 'header-name' | 'ip-policy' }
    ? string
    : F extends { readonly kind: 'integer' | 'number' | 'duration' }
      ? number
      : F extends { readonly kind: 'boolean' }
        ? boolean
        : F extends { readonly kind: 'list'; readonly item: infer Item }
          ? readonly ValueOf<Item>[]
          : F extends { readonly kind: 'map'; readonly value: infer Value }
            ? Readonly<Record<string, ValueOf<Value>>>
            : F extends { readonly kind: 'object'; readonly fields: infer Below }
              ? ConfigOf<Below>
              : F extends { readonly kind: 'variables' }
                ? readonly Assignment[]
                : F extends { readonly kind: 'expression'; readonly scope: 'retry' }
                  ? (values: object) => unknown
                  : unknown

/** The config that `run` receives. A field without a value or a default is undefined. */
type ConfigOf<F> = {
  readonly [Name in keyof F]:
    | ValueOf<F[Name]>
    | (F[Name] extends { readonly isRequired: true } | { readonly default: unknown } ? never : undefined)
}

/** A variable of `set-vars`. `read` evaluates its value, which may use earlier variables. */
export interface Assignment {
  readonly name: string
  readonly read: () => unknown
}

/** A traffic policy action. The check, hover texts, the JSON Schema, and the reference are derived from it. */
export interface Action {
  readonly type: string
  /** The sentence that describes the action. */
  readonly about: string
  readonly phases: readonly Phase[]
  /** The protocols of endpoints that can use the action. Default: every protocol that has one of its phases. */
  readonly protocols?: readonly PolicyProtocol[]
  readonly config: Fields
  /** True if `config` may have additional fields. */
  readonly isOpen?: true
  /** Returns whether an action with this config always ends its rule. */
  readonly ends?: (config: Config) => boolean
  /** True if the action may respond to some but not all traffic. Later actions are then reachable. */
  readonly mayEnd?: true
  /** The variables under `actions.ngrok.<name>` after the action has run. */
  readonly sets?: Variables
  /** The name of the variables. Default: the type, with `-` replaced with `_`. */
  readonly variable?: string
  /** A group of actions, with its error code. A policy can contain only one action from the group. */
  readonly onlyOne?: { readonly group: string; readonly number: number }
  /** The plans that do not include the action. */
  readonly notOnPlans?: readonly string[]
  /** Fields that some plans do not include. */
  readonly paid?: { readonly fields: readonly string[]; readonly notOnPlans: readonly string[] }
  /** Returns the problems that involve more than one field. */
  readonly check?: (config: Config, phase: Phase, protocol: PolicyProtocol) => readonly ConfigProblem[]
  /** The path of the action's page, relative to `https://ngrok.com/docs/traffic-policy/actions/`. */
  readonly page: string
  /** The outcomes of a check, such as `allowed` and `limited`. Coverage counts each outcome. */
  readonly outcomes?: readonly [passed: string, refused: string]
  /** Returns the names of the parts of a config that can have separate effects, such as replacements. Coverage counts each part. */
  readonly parts?: (config: Config) => readonly string[]
  /** The fauxgate decisions that the results can depend on. */
  readonly decisions?: readonly Decision[]
  /** Returns how the traffic ends if the values of the action's variables, set by a caller, describe an error. */
  readonly refusal?: (stated: Config, phase: Phase) => OwnResponse | 'close' | undefined
  /** Executes the action. Without this function, the action is not simulated. */
  readonly run?: (config: Config, visit: Visit) => ActionOutcome | Promise<ActionOutcome>
}

/** Returns the name of an action in expressions, such as `rate_limit` in `actions.ngrok.rate_limit`. */
export function variableOf({ type, variable }: Pick<Action, 'type' | 'variable'>): string {
  return variable ?? type.replaceAll('-', '_')
}

/** The outcome of an action that lets a request pass although its check fails, because of `enforce: false`. */
export const NOT_ENFORCED = 'not enforced'

/** Returns the outcomes that an action with a config can have, or undefined if it can have only one outcome. */
export function outcomesOf({ outcomes, sets }: Action, { enforce, on_error }: Config): readonly string[] | undefined {
  if (!outcomes && on_error === 'continue') return ['ran', 'failed']
  if (!outcomes || enforce !== false) return outcomes
  // Without variables, the check leaves no trace.
  return sets ? [outcomes[0], NOT_ENFORCED] : [outcomes[0]]
}

type Row<F extends Fields> = Omit<Action, 'config' | 'run'> & {
  readonly config: F
  readonly run?: (config: ConfigOf<F>, visit: Visit) => ActionOutcome | Promise<ActionOutcome>
}

/** Declares an action. The type of the config that `run` receives is inferred from the fields. */
export function action<const F extends Fields>(row: Row<F>): Action {
  const { run, ...rest } = row
  // The config is parsed with the fields before the action runs.
  return run ? { ...rest, run: (config, visit) => run(config as ConfigOf<F>, visit) } : rest
}
