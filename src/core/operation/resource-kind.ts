import type * as v from 'valibot'
import type { FilterableField } from '../filter/filter.ts'
import type { CatalogueError } from '../schema/errors.ts'
import type { Frozen } from '../schema/values.ts'
import type { Collection } from './collection.ts'
import type { OtherNames } from './dialect-body.ts'
import type { Declaration, ErrorsByKey, Family, OtherRecords, ReportRelation } from './family.ts'
import type { AccountLimit, LimitsByName } from './limit.ts'
import type { Matching } from './list.ts'
import type { Operation } from './operation.ts'
import type { ResourceRecord } from './resource-head.ts'
import type { Transaction } from './transaction.ts'
import type { View } from './view.ts'

/** A kind of resources that can be read: its names, its records, and the schema of responses. */
export interface ReadableKind {
  /** The operations' group, for example `reserved_domains`. */
  readonly name: string
  /** The path of its list, for example `/backends/weighted`. Default: the name after a slash. */
  readonly path?: string
  /** The key of a page's items in the response of a list. Default: the name. */
  readonly items?: string
  /** The prefix of its ids, for example `rd`. */
  readonly prefix: string
  /**
   * The prefixes of all kinds that share this collection; the first one is that of the records' keys. Ids may have any of
   * these prefixes. One kind declares the collection in its family; the other families have `collections: []`.
   */
  readonly prefixes?: readonly [string, ...string[]]
  /** The name of one resource in messages and summaries, for example "reserved address". */
  readonly what: string
  /** The name of several, for example "reserved addresses". Default: `what` followed by "s"; required after a consonant and "y", and after s, x, z, ch and sh. */
  readonly plural?: string
  /** The article before `what`. Default: "an" before a, e, i, o and u, else "a". */
  readonly article?: 'a' | 'an'
  /** The fields that tables of such resources show, the one that people know a resource by first. Default: some of the first fields. */
  readonly tableFields?: readonly string[]
  /** The records. */
  readonly collection: Collection<object>
  /** The schema of a response. */
  readonly shape: v.GenericSchema<{
    /** The id. */
    readonly id: string
  }>
  /** The fields that filters can name where the dialect asks for that; `[]` for no filter. Default: all. */
  readonly filterable?: readonly FilterableField[]
  /** Additional query parameters of the list, each with the field of an item that must have one of the values sent. */
  readonly matching?: Matching
}

/** A kind of resources that can be created, changed and deleted. */
export interface ResourceKind extends ReadableKind {
  /** The records. */
  readonly collection: Collection<ResourceRecord>
  /** The schema of the body that creates one. */
  readonly createBody: v.GenericSchema
  /** The schema of the body that changes one. */
  readonly updateBody: v.GenericSchema
  /** The errors of this kind. */
  readonly errors?: ErrorsByKey
  /**
   * The limits of the account that this kind comes under, by their names in `account.limits`. Default: one with the name of
   * the kind, on the number of its records.
   */
  readonly limits?: LimitsByName
  /** The facts about the limit with the name of the kind, if it has no others. */
  readonly limit?: Partial<AccountLimit>
  /** The declarations that tests can make, by their names in `gateway.declare`. */
  readonly declares?: Readonly<Record<string, Declaration>>
  /** Additional operations, by their names in the direct API. */
  readonly more?: Readonly<Record<string, Operation>>
}

/** The key of a page's items in the responses of a kind. */
export type ItemsOf<Kind extends ReadableKind> = Kind extends { readonly items: infer Items extends string }
  ? Items
  : Kind['name']

/** The record type of a kind. */
export type RecordOf<Kind extends ReadableKind> = Kind['collection'] extends Collection<infer R> ? R : never

/** The response type of a kind. */
export type ResourceOf<Kind extends ReadableKind> = Frozen<v.InferOutput<Kind['shape']>>

/** The rules of a kind of resources. */
export interface ResourceRules<Kind extends ResourceKind> {
  /** Makes the response of a record. */
  readonly view: View<RecordOf<Kind>, ResourceOf<Kind>>
  /** Computes fields of a response from other records. They replace those of the view. */
  related?(tx: Transaction, record: RecordOf<Kind>): Partial<ResourceOf<Kind>>
  /** The creation. */
  readonly create: BodyRules & {
    /** Applies the rules of a creation, and returns the record that it put. */
    run(tx: Transaction, body: v.InferOutput<Kind['createBody']>): RecordOf<Kind>
    /** Returns the fields that only the response to the creation has, such as a token that is shown once. */
    once?(record: RecordOf<Kind>): Partial<ResourceOf<Kind>>
  }
  /** The change by a body. */
  readonly update: BodyRules & {
    /** Applies the rules of a change, and returns the record that it put. */
    run(tx: Transaction, record: RecordOf<Kind>, body: v.InferOutput<Kind['updateBody']>): RecordOf<Kind>
    /** Returns the fields that only the response to the change has, and later reads do not. */
    once?(tx: Transaction, record: RecordOf<Kind>, before: RecordOf<Kind>): Partial<ResourceOf<Kind>>
  }
  /** The deletion, if it needs more than removing the record. */
  readonly delete?: {
    /** The errors that `before` may reject with. */
    readonly errors?: readonly CatalogueError[]
    /** Applies the rules of a deletion, and removes what belongs to the record. */
    before(tx: Transaction, record: RecordOf<Kind>): void
  }
  /** Handles a record at its due time. It must put the record with a later due time or none, or remove the record. */
  onDue?(tx: Transaction, record: RecordOf<Kind>): void
  /** Rules that this kind adds to operations of other families, by the operation's name. */
  readonly before?: NonNullable<Family['before']>
  /** The fields of records that name other resources. */
  readonly references?: NonNullable<Family['references']>
  /** The events of the account, if the records are their subscriptions. */
  readonly events?: NonNullable<Family['events']>
  /** Reports broken relations between a record and other records that `references` does not tell, such as a name that two have. */
  relations?(record: RecordOf<Kind>, others: OtherRecords, report: ReportRelation): void
}

interface BodyRules {
  /** The errors that `run` may throw, in addition to those of the body's schema. */
  readonly errors?: readonly CatalogueError[]
  /** The rules for fields that have other names in dialects. */
  readonly otherNames?: OtherNames
}
