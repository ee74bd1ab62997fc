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

/** A kind of resource that can be read: its names, its records, and the schema of responses. */
export interface ReadableKind {
  /** The group of the operations, for example `reserved_domains`. */
  readonly name: string
  /** The path of its list, for example `/backends/weighted`. Default: a slash and the name. */
  readonly path?: string
  /** The key of the items in a page. Default: the name. */
  readonly items?: string
  /** The prefix of its IDs, for example `rd`. */
  readonly prefix: string
  /**
   * The prefixes of all kinds that share this collection. The keys of records begin with the first prefix; IDs may begin with any of the
   * prefixes. One kind declares the collection in its family; the other families have `collections: []`.
   */
  readonly prefixes?: readonly [string, ...string[]]
  /** The singular name in messages and summaries, for example "reserved address". */
  readonly what: string
  /**
   * The plural, for example "reserved addresses". Default: `what` followed by "s". Required if `what` ends in a consonant and "y", or in s,
   * x, z, ch, or sh.
   */
  readonly plural?: string
  /** The article before `what`. Default: "an" before a, e, i, o, and u, otherwise "a". */
  readonly article?: 'a' | 'an'
  /** The fields to show in tables, starting with the field by which people identify a resource. Default: a few of the first fields. */
  readonly tableFields?: readonly string[]
  /** The records. */
  readonly collection: Collection<object>
  /** The schema of a response. */
  readonly shape: v.GenericSchema<{
    /** The ID. */
    readonly id: string
  }>
  /** The fields that filters can use in dialects that restrict them; `[]` allows no filter. Default: all fields. */
  readonly filterable?: readonly FilterableField[]
  /** Additional query parameters of the list, each with the item field that must match one of the sent values. */
  readonly matching?: Matching
}

/** A kind of resource that can be created, updated, and deleted. */
export interface ResourceKind extends ReadableKind {
  /** The records. */
  readonly collection: Collection<ResourceRecord>
  /** The schema of the body that creates a resource. */
  readonly createBody: v.GenericSchema
  /** The schema of the body that updates a resource. */
  readonly updateBody: v.GenericSchema
  /** The errors of this kind. */
  readonly errors?: ErrorsByKey
  /**
   * The account limits that apply to this kind, by name in `account.limits`. Default: a limit on the number of records, named after the
   * kind.
   */
  readonly limits?: LimitsByName
  /** The settings of the limit named after the kind, if the kind doesn't declare other limits. */
  readonly limit?: Partial<AccountLimit>
  /** The declarations that tests can make, by name in `gateway.declare`. */
  readonly declares?: Readonly<Record<string, Declaration>>
  /** Additional operations, by name in the direct API. */
  readonly more?: Readonly<Record<string, Operation>>
}

/** The key of a page's items. */
export type ItemsOf<Kind extends ReadableKind> = Kind extends { readonly items: infer Items extends string }
  ? Items
  : Kind['name']

/** The record type of a kind. */
export type RecordOf<Kind extends ReadableKind> = Kind['collection'] extends Collection<infer R> ? R : never

/** The response type of a kind. */
export type ResourceOf<Kind extends ReadableKind> = Frozen<v.InferOutput<Kind['shape']>>

/** The rules of a kind of resources. */
export interface ResourceRules<Kind extends ResourceKind> {
  /** Converts a record to a response. */
  readonly view: View<RecordOf<Kind>, ResourceOf<Kind>>
  /** Computes response fields from other records. These fields replace the view's. */
  related?(tx: Transaction, record: RecordOf<Kind>): Partial<ResourceOf<Kind>>
  /** The steps that create a resource. */
  readonly create: BodyRules & {
    /** Applies the rules of a creation, and returns the record that it stored. */
    run(tx: Transaction, body: v.InferOutput<Kind['createBody']>): RecordOf<Kind>
    /** Returns the fields that only the response to the creation contains, such as a token that is shown once. */
    once?(record: RecordOf<Kind>): Partial<ResourceOf<Kind>>
  }
  /** The steps that update a resource. */
  readonly update: BodyRules & {
    /** Applies the rules of an update, and returns the record that it stored. */
    run(tx: Transaction, record: RecordOf<Kind>, body: v.InferOutput<Kind['updateBody']>): RecordOf<Kind>
    /** Returns the fields that only the response to the update contains. */
    once?(tx: Transaction, record: RecordOf<Kind>, before: RecordOf<Kind>): Partial<ResourceOf<Kind>>
  }
  /** The steps that delete a resource, if removing its record isn't enough. */
  readonly delete?: {
    /** The errors that `before` may throw. */
    readonly errors?: readonly CatalogueError[]
    /** Applies the rules of a deletion, and removes what belongs to the record. */
    before(tx: Transaction, record: RecordOf<Kind>): void
  }
  /** Handles a due record. Must remove the record, or store the record with a later due time or with none. */
  onDue?(tx: Transaction, record: RecordOf<Kind>): void
  /** Rules that this kind adds to operations of other families, by the operation's name. */
  readonly before?: NonNullable<Family['before']>
  /** The fields of records that reference other resources. */
  readonly references?: NonNullable<Family['references']>
  /** The account's events, if the records are their subscriptions. */
  readonly events?: NonNullable<Family['events']>
  /** Reports broken relations that `references` cannot express, such as a duplicate name. */
  relations?(record: RecordOf<Kind>, others: OtherRecords, report: ReportRelation): void
}

interface BodyRules {
  /** The errors that `run` may throw, in addition to those of the body's schema. */
  readonly errors?: readonly CatalogueError[]
  /** The rules for fields that have other names in dialects. */
  readonly otherNames?: OtherNames
}
