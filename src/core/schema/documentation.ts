import * as v from 'valibot'
import { type Facts, facts } from './facts.ts'
import { partsOf, type SchemaParts } from './schema-parts.ts'

/**
 * Documents a schema with one sentence that describes the value and its unit. Editors, the OpenAPI document, and the service reference show
 * the sentence with the schema's limits, allowed values, and default.
 *
 * @example
 * ```ts
 * const size = documented(integerFrom(1, 10), 'The number of seats.')
 * ```
 */
export function documented<S extends v.GenericSchema>(schema: S, sentence: string, more?: Facts): S {
  return withSteps(
    isNamed(schema) ? createReference(schema) : schema,
    v.description(sentence),
    ...(more ? [facts(more)] : []),
  )
}

function isNamed(schema: v.GenericSchema): boolean {
  return v.getTitle(schema) !== undefined
}

/** Wraps a named schema to keep its own sentence when another one is added. */
function createReference<S extends v.GenericSchema>(schema: S): S {
  return v.nonOptional(schema) as v.GenericSchema as S // The wrapped schema reads the same values.
}

/**
 * Names a schema's type and describes it in a sentence. Documents and declarations contain the type once, under that name.
 *
 * @example
 * ```ts
 * const shape = named(v.object({ ...resourceHead, name }), 'Widget', 'A thing in a test.')
 * ```
 */
export function named<S extends v.GenericSchema>(schema: S, name: string, sentence: string, more?: Facts): S {
  return withSteps(schema, v.title(name), v.description(sentence), ...(more ? [facts<v.InferOutput<S>>(more)] : []))
}

/** Adds metadata to the pipe of a schema, or starts a pipe with it. */
export function withSteps<S extends v.GenericSchema>(
  schema: S,
  ...steps: v.PipeItem<v.InferOutput<S>, v.InferOutput<S>, never>[]
): S {
  const { pipe = [schema] } = partsOf(schema)
  return { ...schema, pipe: [...pipe, ...steps] }
}

/**
 * Returns what {@link named}, {@link documented} and {@link facts} added to a schema, or to the schemas that it wraps: the name,
 * the outermost sentence, and the facts from the innermost to the outermost schema.
 */
export function documentationOf(schema: v.GenericSchema) {
  const steps = listSteps(schema)
  return {
    name: v.getTitle(schema),
    sentence: steps.findLast((step) => step.description !== undefined)?.description,
    facts: steps.flatMap((step) => step.metadata?.facts ?? []),
  }
}

function listSteps({ pipe, wrapped }: SchemaParts): SchemaParts[] {
  if (pipe) return pipe.flatMap((step) => (step.kind === 'schema' ? listSteps(step) : [step]))
  return wrapped ? listSteps(partsOf(wrapped)) : []
}
