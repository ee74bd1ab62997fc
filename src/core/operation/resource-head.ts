import { timestamp } from '../schema/time.ts'
import type { Transaction } from './transaction.ts'
import type { Wire } from './view.ts'

/** A record of a top-level resource. */
export interface ResourceRecord extends Described {
  /** The id, which begins with the prefix of its kind. */
  readonly id: string
  /** The time of its creation, in ms since 1970. */
  readonly created_at: number
}

interface Described {
  /** The purpose of the resource, in words for people. */
  readonly description?: string | undefined
  /** Data that programs keep with the resource. */
  readonly metadata?: string | undefined
}

// (rules: fields#absent-until-set)
/**
 * Returns `description` and `metadata` of a record after a request: the sent ones, else the record's. An empty text sets
 * nothing if nothing was set before.
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
 * Returns `description` and `metadata` for a response: absent until they were set.
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
 * Makes the fields that every new record begins with: a new id, the time, and `description` and `metadata` of the body.
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
 * Makes the fields that every response begins with, of a record and the path of its list, such as `/widgets`.
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
