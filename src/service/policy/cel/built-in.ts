import type { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { utf8Bytes, utf8Text } from '../../../core/schema/platform.ts'
import { toInt, toUint } from './operators.ts'
import { sizeOfText, TEXTS } from './texts.ts'
import { OF_DURATION, OF_TIMESTAMP, parseDuration, parseTimestamp, Timestamp } from './time.ts'
import { TYPES, typeOf } from './types.ts'
import { EvaluationProblem } from './values.ts'

/** A function in expressions. The receiver of a method is its first argument. */
export type Implementation = (...args: never[]) => unknown

const same = (value: unknown) => value

/** Returns a value if a condition is true. @throws EvaluationProblem */
function require<T>(value: T, isAllowed: boolean, problem: string): T {
  if (isAllowed) return value
  throw new EvaluationProblem(problem)
}

const toType = (type: string) => `cannot be converted to ${type}`

/** Converts a double. Rejects values at the ends of the range because they may have been rounded. */
function toInteger(value: number, end: number, type: string): bigint {
  const isInside = Number.isFinite(value) && Math.abs(value) < end
  return BigInt(require(Math.trunc(value), isInside, `the double ${toType(type)}`))
}

function readInteger(text: string, type: string): bigint {
  return BigInt(require(text, /^-?\d{1,20}$/.test(text), `the text ${toType(type)}`))
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const INFINITY = /^[+-]?inf(?:inity)?$/i

function readDouble(text: string): number {
  if (INFINITY.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const value = Number(text)
  return require(value, NUMBER.test(text) && Number.isFinite(value), `the text ${toType('a double')}`)
}

function readText(bytes: Uint8Array): string {
  try {
    return utf8Text(bytes)
  } catch (cause) {
    throw new EvaluationProblem('the bytes are not valid UTF-8', { cause })
  }
}

function writeDouble(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value < 0 ? '-Inf' : '+Inf'
}

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False']

function sizeOf(value: string | object): bigint {
  if (typeof value === 'string') return sizeOfText(value)
  if (Array.isArray(value) || value instanceof Uint8Array) return BigInt(value.length)
  return BigInt(value instanceof Map ? value.size : Object.keys(value).length)
}

const SIZES = ['string', 'bytes', 'list', 'map'].flatMap((type) => [
  [`size(${type})`, sizeOf],
  [`${type}.size()`, sizeOf],
])

/** The built-in functions of CEL, by signature. */
export const BUILT_IN: Readonly<Record<string, Implementation>> = {
  'dyn(dyn)': same,
  'type(dyn)': (value: unknown) => TYPES.get(typeOf(value)),
  'bool(bool)': same,
  'bool(string)': (text: string) =>
    require(TRUE.includes(text), TRUE.includes(text) || FALSE.includes(text), `the text ${toType('a bool')}`),
  'bytes(bytes)': same,
  'bytes(string)': utf8Bytes,
  'double(double)': same,
  'double(int)': Number,
  'double(uint)': Number,
  'double(string)': readDouble,
  'duration(google.protobuf.Duration)': same,
  'duration(string)': parseDuration,
  'int(int)': same,
  'int(uint)': ({ value }: UnsignedInt) => toInt(value),
  'int(double)': (value: number) => toInteger(value, 2 ** 63, 'an int'),
  'int(string)': (text: string) => toInt(readInteger(text, 'an int')),
  'int(google.protobuf.Timestamp)': ({ seconds }: Timestamp) => seconds,
  'string(string)': same,
  'string(bool)': String,
  'string(int)': String,
  'string(uint)': String,
  'string(double)': writeDouble,
  'string(bytes)': readText,
  'string(google.protobuf.Duration)': String,
  'string(google.protobuf.Timestamp)': String,
  'timestamp(google.protobuf.Timestamp)': same,
  'timestamp(int)': (seconds: bigint) => new Timestamp(seconds * 1_000_000_000n),
  'timestamp(string)': parseTimestamp,
  'uint(uint)': same,
  'uint(int)': toUint,
  'uint(double)': (value: number) => toUint(toInteger(value, 2 ** 64, 'a uint')),
  'uint(string)': (text: string) => toUint(readInteger(text, 'a uint')),
  ...Object.fromEntries(SIZES),
  ...Object.fromEntries(
    Object.entries(OF_TIMESTAMP).flatMap(([name, read]) => [
      [`google.protobuf.Timestamp.${name}()`, read],
      [`google.protobuf.Timestamp.${name}(string)`, read],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(OF_DURATION).map(([name, read]) => [`google.protobuf.Duration.${name}()`, read]),
  ),
  ...TEXTS,
}
