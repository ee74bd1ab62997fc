import { timestamp } from '../schema/time.ts'
import type { Transaction } from './transaction.ts'
import type { Wire } from './view.ts'

/** A record of a top-level resource. */
export interface ResourceRecord extends Described {
  /** The ID, which begins with the prefix of its kind. */
  readonly id: string
  /** The time of its creation, in ms since the Unix epoch. */
  readonly created_at: number
}

/** The strings in a record or in a body. */
export interface Described {
  /** A human-readable description. */
  readonly description?: string | undefined
  /** Arbitrary, machine-readable data. */
  readonly metadata?: string | undefined
}

// (rules: fields#absent-until-set)
/**
 * Returns `description` and `metadata` of a record after a request: the sent values, or else the record's values. An empty string has no
 * effect if no value was set before.
 *
 * @example
 * ```ts
 * tx.put(widgetRecords, { ...widget, ...described(body, widget) })
 * ```
 */
export function described(body: Described, record: Described = {}): Described {
  return descriptionOf({
    description: chooseText(body.description, record.description),
    metadata: chooseText(body.metadata, record.metadata),
  })
}

function chooseText(sent: string | undefined, before: string | undefined): string | undefined {
  return sent || (sent === '' && before !== undefined) ? sent : before
}

// (rules: fields#absent-until-set)
/**
 * Returns `description` and `metadata` for a response: absent until set.
 *
 * @example
 * ```ts
 * const view = (widget: WidgetRecord) => ({ id: widget.id, ...descriptionOf(widget) })
 * ```
 */
export function descriptionOf({ description, metadata }: Described): { description?: string; metadata?: string } {
  const fields: { description?: string; metadata?: string } = {}
  if (description !== undefined) fields.description = description
  if (metadata !== undefined) fields.metadata = metadata
  return fields
}

/**
 * Creates the fields that begin a new record: a new ID, the time, and the body's `description` and `metadata`.
 *
 * @example
 * ```ts
 * tx.put(widgetRecords, { ...newHead(tx, 'wid', body), name: body.name })
 * ```
 */
export function newHead(tx: Transaction, prefix: string, body: Described = {}): ResourceRecord {
  return { id: tx.newId(prefix), created_at: tx.now, ...described(body) }
}

/**
 * Creates the fields that begin a response, from a record and the path of its list, such as `/widgets`.
 *
 * @example
 * ```ts
 * const view = (widget: WidgetRecord, wire: Wire) => ({ ...viewHead(widget, wire, '/widgets'), name: widget.name })
 * ```
 */
export function viewHead(record: ResourceRecord, { url }: Wire, path: string) {
  const { id, created_at } = record
  return { id, uri: `${url}${path}/${id}`, created_at: timestamp(created_at), ...descriptionOf(record) }
}

type Values = Readonly<Record<string, unknown>>

/** The part of a column that creates values. */
export interface ColumnValues {
  /** The value in a new record if the body omits it. */
  readonly first?: unknown
  /** Creates the value in a record from the sent value. Default: the sent value. */
  keep?(sent: unknown, before: unknown): unknown
  /** Creates the value in a response from the value in the record. Default: the same value. */
  show?(kept: unknown, wire: Wire): unknown
}

/** The columns of records, the columns that updates can change, and the columns of responses. */
interface ColumnLists {
  readonly kept: ColumnList
  readonly changing: ColumnList
  readonly shown: ColumnList
}

type ColumnList = readonly (readonly [string, ColumnValues])[]

/** Creates the functions that build records and responses from columns. */
export function recordMakers(prefix: string, path: string, { kept, changing, shown }: ColumnLists) {
  return {
    newRecord(tx: Transaction, body: Values, given: Values = {}) {
      const values = kept.map(([key, each]) => [
        key,
        key in given ? given[key] : chooseValue(each, body[key], each.first),
      ])
      return { ...newHead(tx, prefix, body), ...Object.fromEntries(values) }
    },
    changed(before: ResourceRecord & Values, body: Values) {
      const values = changing.map(([key, each]) => [key, chooseValue(each, body[key], before[key], before[key])])
      return { ...before, ...described(body, before), ...Object.fromEntries(values) }
    },
    view(record: ResourceRecord & Values, wire: Wire) {
      const values = shown.map(([key, { show }]) => [key, show ? show(record[key], wire) : record[key]])
      return { ...viewHead(record, wire, path), ...Object.fromEntries(values) }
    },
  }
}

/** Returns the value for a record: the body's, or else a default. */
function chooseValue({ keep }: ColumnValues, sent: unknown, other: unknown, before?: unknown): unknown {
  if (sent === undefined) return other
  return keep ? keep(sent, before) : sent
}
