import type { ControlCall } from '../../control/control.ts'
import { locateJsonProblem } from '../../core/schema/json-text.ts'
import { quote } from '../../core/schema/text.ts'
import controlCalls from '../../generated/control-calls.json'
import type { Arguments } from '../commands/command.ts'
import { UsageError } from '../errors.ts'
import { type Flag, flagAt } from '../options/flags.ts'

/** A control call as the client sends it. It has the server's schemas. */
export interface ClientCall
  extends Pick<ControlCall, 'method' | 'path' | 'summary' | 'from' | 'mediaType' | 'commands'> {
  readonly fields: readonly Field[]
}

interface Field extends Pick<Flag, 'kind' | 'value'> {
  readonly field: string
  readonly sentence?: string
}

interface FieldFlag extends Flag {
  readonly field: string
}

/** The control calls by method and path, such as `GET /clock`. */
// A JSON import does not provide literal types for the kinds of flags.
export const calls = controlCalls as Readonly<Record<keyof typeof controlCalls, ClientCall>>

/** Returns a flag for each field of a call, except the fields in `others`, which are set by arguments or by the command. */
export function flagsForFields({ fields }: ClientCall, others: readonly string[]): readonly FieldFlag[] {
  return fields.flatMap(({ field, kind, value, sentence }) =>
    others.includes(field) || sentence === undefined ? [] : { field, flag: flagAt(field), kind, value, sentence },
  )
}

export function parseFlags(flags: readonly FieldFlag[], parsed: Arguments['flags']): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const { flag, field, kind } of flags) {
    const value = parsed.get(flag)
    if (value !== undefined) fields[field] = typeof value === 'boolean' ? value : parseValue(kind, value, flag)
  }
  return fields
}

/** Converts the strings of a flag or an argument to a value. A string of the wrong kind is not converted, and the server rejects it. */
export function parseValue(kind: Flag['kind'], texts: readonly string[], flag = ''): unknown {
  const [text = ''] = texts
  if (kind === 'texts') return texts.map((each) => parseObjectOrText(each, flag))
  if (kind === 'integer') return /^\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : text
  return kind === 'json' ? parseObjectOrText(text, flag) : text
}

function parseObjectOrText(text: string, flag: string): unknown {
  if (!text.trimStart().startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    const source = flag === '' ? quote(text) : `--${flag}`
    throw new UsageError(`${source} begins with "{" but is not valid JSON: ${locateJsonProblem(text)}.`)
  }
}
