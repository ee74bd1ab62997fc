import * as v from 'valibot'
import { named } from '../schema/documentation.ts'
import { recordHead } from '../schema/record-schema.ts'
import { resourceHead } from '../schema/schema.ts'
import { chooseArticle } from '../schema/text.ts'
import type { Frozen } from '../schema/values.ts'
import { type Collection, collection } from './collection.ts'
import { type ColumnValues, type Described, type ResourceRecord, recordMakers } from './resource-head.ts'
import type { ResourceKind } from './resource-kind.ts'
import type { Transaction } from './transaction.ts'
import type { View, Wire } from './view.ts'

/** The schema of a field in one place, or false if the field is absent from that place. */
type Place = v.GenericSchema | false
type Output<P> = P extends v.GenericSchema ? Frozen<v.InferOutput<P>> : undefined
type OptionalOf<P> = P extends v.GenericSchema ? v.OptionalSchema<P, undefined> : false
type Sent<Create, Update> = Exclude<Output<Create> | Output<Update>, undefined>

/** A field of a family, with its schema in each place. */
export interface Column<Create = Place, Update = Place, Kept = Place, Shown = Place, First = unknown>
  extends ColumnValues {
  readonly create: Create
  readonly update: Update
  readonly kept: Kept
  readonly shown: Shown
  readonly first?: First
}

interface ColumnParts<S, Create, Update, Kept, Shown, First> {
  /** The schema in bodies, where the field is optional. */
  readonly sent?: S
  /** The field in the body that creates a resource. Default: `sent`, optional; no field without `sent`. */
  readonly create?: Create
  /** The field in the body that updates a resource. Default: `sent`, optional; no field without `sent`. */
  readonly update?: Update
  /** The schema in records. Default: `sent`; no field without `sent`. */
  readonly kept?: Kept
  /** The schema in responses, or false if responses omit the field. Default: `kept`. */
  readonly shown?: Shown
  /** The value in a new record if the body omits it. */
  readonly first?: First
  /** Creates the value in a record from the sent value. Default: the sent value. */
  keep?(sent: Sent<Create, Update>, before: Output<Kept> | undefined): Output<Kept>
  /** Creates the value in a response from the value in the record. Default: the same value. */
  show?(kept: Output<Kept>, wire: Wire): Output<Shown>
}

/** The functions that a column needs because its values differ between places. */
type Needed<Create, Update, Kept, Shown> = ([Sent<Create, Update>] extends [Output<Kept>]
  ? unknown
  : { keep: unknown }) &
  ([Output<Kept>] extends [Output<Shown>] ? unknown : { show: unknown })

/**
 * Declares a field of a family. Specify only what differs: by default, bodies, records, and responses use the schema `sent`. The family's
 * own rules read fields that exist only in bodies, and create fields that exist only in responses.
 *
 * @example
 * ```ts
 * const size = column({ sent: documented(count, 'The number of seats.'), first: 1 })
 * ```
 */
export function column<
  S extends Place = false,
  Create extends Place = OptionalOf<S>,
  Update extends Place = OptionalOf<S>,
  Kept extends Place = S,
  Shown extends Place = Kept,
  First extends Output<Kept> = never,
>(
  parts: ColumnParts<S, Create, Update, Kept, Shown, First> &
    (Kept extends false ? unknown : Needed<Create, Update, Kept, Shown extends false ? Kept : Shown>),
): Column<NoInfer<Create>, NoInfer<Update>, NoInfer<Kept>, NoInfer<Shown>, NoInfer<First>>
export function column({
  sent = false,
  create = sent && v.optional(sent),
  update = sent && v.optional(sent),
  kept = sent,
  shown = kept,
  ...values
}: ColumnParts<Place, Place, Place, Place, Place, unknown>): Column {
  return { create, update, kept, shown, ...values }
}

type Columns = Readonly<Record<string, Column>>

interface Texts {
  readonly description: v.GenericSchema<string | undefined>
  readonly metadata: v.GenericSchema<string | undefined>
}

/** A family's names, errors, and limits, and the descriptions of its schemas. */
interface Heading extends Omit<ResourceKind, 'collection' | 'shape' | 'createBody' | 'updateBody'> {
  /** The fields `description` and `metadata` of bodies. */
  readonly texts: Texts
  /** The same fields in records, if their errors differ. */
  readonly keptTexts?: Texts
  /** The name of the schemas, such as `ReservedDomain`. */
  readonly title: string
  /** The sentence that describes one resource. */
  readonly sentence: string
  /** A noun phrase for one resource, used in the sentences about bodies. Default: the article and `what`. */
  readonly one?: string
  /** The end of the sentence about updates, such as "; at least one field is required". */
  readonly note?: string
  /** Examples of both bodies. */
  readonly examples?: readonly [create?: object, update?: object]
}

/** The fields in one place. */
type In<P extends 'create' | 'update' | 'kept' | 'shown', Cs extends Columns> = {
  readonly [Name in keyof Cs as Cs[Name][P] extends false ? never : Name]: Exclude<Cs[Name][P], false>
}
type ObjectOf<Entries extends v.ObjectEntries> = Frozen<v.InferOutput<v.ObjectSchema<Entries, undefined>>>
type RecordWith<Cs extends Columns> = ResourceRecord & ObjectOf<In<'kept', Cs>>
type ShapeWith<Cs extends Columns> = ObjectOf<Omit<typeof resourceHead, keyof In<'shown', Cs>> & In<'shown', Cs>>
type Created<Cs extends Columns> = Described & ObjectOf<In<'create', Cs>>
type Changes<Cs extends Columns> = Described & Partial<ObjectOf<In<'update', Cs>>>

/** The stored fields that are optional in bodies, without a `first` value. */
type Unsent<Cs extends Columns> = {
  [Name in keyof In<'kept', Cs>]: [Cs[Name]['first'], undefined] extends [undefined, Output<Cs[Name]['create']>]
    ? Name
    : never
}[keyof In<'kept', Cs>]
type GivenValues<Cs extends Columns> = Pick<RecordWith<Cs>, keyof RecordWith<Cs> & Unsent<Cs>>
type Given<Cs extends Columns> =
  Record<never, never> extends GivenValues<Cs> ? [given?: GivenValues<Cs>] : [given: GivenValues<Cs>]

/** The parts of a family derived from its columns. */
export interface Table<H extends Heading, Cs extends Columns> {
  /** The records. */
  readonly records: Collection<RecordWith<Cs>>
  /** The kind to pass to `resource`. */
  readonly kind: Omit<H, 'texts' | 'keptTexts' | 'title' | 'sentence' | 'note' | 'examples' | 'one'> & {
    readonly collection: Collection<RecordWith<Cs>>
    readonly shape: v.GenericSchema<ShapeWith<Cs>>
    readonly createBody: v.ObjectSchema<H['texts'] & In<'create', Cs>, undefined>
    readonly updateBody: v.ObjectSchema<H['texts'] & In<'update', Cs>, undefined>
  }
  /** The family's default rules, to pass to `resource`. */
  readonly rules: {
    /** Converts a record to a response. Fields that aren't in records are undefined; the family sets them. */
    readonly view: View<RecordWith<Cs>, Omit<ShapeWith<Cs>, Exclude<keyof In<'shown', Cs>, keyof In<'kept', Cs>>>>
    readonly create: { run(tx: Transaction, body: Created<Cs>, ...given: Given<Cs>): RecordWith<Cs> }
    readonly update: { run(tx: Transaction, before: RecordWith<Cs>, body: Changes<Cs>): RecordWith<Cs> }
  }
  /** Creates a record from a body and, optionally, from values that aren't in bodies. */
  newRecord(tx: Transaction, body: Created<Cs>, ...given: Given<Cs>): RecordWith<Cs>
  /** Applies the changes in a body to a record, and returns the result. */
  changed(before: RecordWith<Cs>, body: Changes<Cs>): RecordWith<Cs>
}

/**
 * Creates the records, schemas, and usual rules of a family from its columns. Records, bodies, and responses list the fields in column
 * order, after the fields common to all resources.
 *
 * @example
 * ```ts
 * const table = columns(
 *   { name: 'widgets', prefix: 'wid', what: 'widget', title: 'Widget', sentence: 'A thing.', texts: { description, metadata } },
 *   { size: column({ sent: documented(count, 'The number of seats.'), first: 1 }) },
 * )
 * const widgets = resource(table.kind, table.rules)
 * ```
 */
export function columns<const H extends Heading, const Cs extends Columns>(
  heading: H,
  all: Cs,
  options?: Partial<Pick<Collection<RecordWith<Cs>>, 'indexes' | 'due' | 'notAfter'>>,
): Table<H, Cs>
export function columns(
  heading: Heading,
  all: Columns,
  options: Partial<Pick<Collection<RecordWith<Columns>>, 'indexes' | 'due' | 'notAfter'>> = {},
): Table<Heading, Columns> {
  const { title, sentence, texts, keptTexts = texts, note, examples, one, ...names } = heading
  const { name, path = `/${name}`, prefix, what, article = chooseArticle(what) } = names
  const entriesOf = (place: 'create' | 'update' | 'kept' | 'shown') =>
    Object.fromEntries(Object.entries(all).flatMap(([key, { [place]: schema }]) => (schema ? [[key, schema]] : [])))
  const schema = v.object({ ...recordHead(prefix, keptTexts), ...entriesOf('kept') })
  const records = collection({ ...options, name, schema })
  const kept = Object.entries(all).filter(([, each]) => each.kept)
  const changing = kept.filter(([, each]) => each.update)
  const shown = Object.entries(all).filter(([, each]) => each.shown)
  const { newRecord, changed, view } = recordMakers(prefix, path, { kept, changing, shown })
  return {
    records,
    kind: {
      ...names,
      collection: records,
      shape: named(v.object({ ...resourceHead, ...entriesOf('shown') }), title, sentence),
      ...defineBodies(title, one ?? `${article} ${what}`, {
        create: { ...texts, ...entriesOf('create') },
        update: { ...texts, ...entriesOf('update') },
        ...(note && { note }),
        ...(examples && { examples }),
      }),
    },
    rules: {
      view,
      create: { run: (tx, body, ...given) => tx.put(records, newRecord(tx, body, ...given)) },
      update: { run: (tx, before, body) => tx.put(records, changed(before, body)) },
    },
    newRecord,
    changed,
  }
}

interface Bodies<Create, Update> {
  readonly create: Create
  readonly update: Update
  /** The end of the sentence about updates, such as "; at least one field is required". */
  readonly note?: string
  /** Examples of both bodies. */
  readonly examples?: readonly [create?: object, update?: object]
}

/**
 * Creates the schemas of the bodies that create and change a resource. Their names begin with `title`. `one` is a noun phrase for a single
 * resource, such as "a vault".
 */
export function defineBodies<const Create extends v.ObjectEntries, const Update extends v.ObjectEntries>(
  title: string,
  one: string,
  { create, update, note = '', examples = [] }: Bodies<Create, Update>,
) {
  const [first, second] = examples
  const facts = (example: object | undefined) => (example ? { json: { examples: [example] } } : undefined)
  return {
    createBody: named(v.object(create), `${title}Create`, `The body that creates ${one}.`, facts(first)),
    updateBody: named(v.object(update), `${title}Update`, `The body that updates ${one}${note}.`, facts(second)),
  }
}
