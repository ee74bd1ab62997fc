import { hasFilter } from '../core/operation/list.ts'
import type { Operation } from '../core/operation/operation.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { pick } from '../core/schema/values.ts'
import { type Bodies, bodiesOf, extremeTexts, furtherChanges, furtherCreations } from './bodies.ts'
import type { ExampleBody, FamilyExample, Need } from './example.ts'
import { withOtherNames } from './field-values.ts'
import type { Step } from './step.ts'
import { filterSteps, pageSteps, type StepMaker, saveIdAs, stepMaker, unknownIdFor } from './steps.ts'
import { detachmentSteps, subresourceSteps } from './subresources.ts'

/** The operations of a dialect, by group. */
export type Groups = ReadonlyMap<string, readonly Operation[]>

interface Family {
  readonly make: StepMaker
  /** The path of its list. */
  readonly path: string
  readonly groups: Groups
  /** All operations that may be called. */
  readonly operations: readonly Operation[]
  readonly example: FamilyExample
  readonly dialect: CommonDialect
}

function makerFor({ family, path = `/${family}` }: Need): StepMaker {
  return stepMaker(family, path)
}

/**
 * Returns the steps that create, change, and delete resources of a family. Each field has a normal value and values that a service may
 * interpret differently. References are to existing, nonexistent, and deleted resources.
 */
export function changingSteps(family: Family): Step[] {
  const { make, groups, example, dialect } = family
  const own = groups.get(make.group) ?? []
  const operation = (verb: string) => own.find(({ name }) => name === `${make.group}.${verb}`)
  const [create, update, list] = [operation('create'), operation('update'), operation('list')]
  if (!create || !update || !list) return []
  const modules = family.operations.flatMap(({ method, path }) =>
    method === 'PUT' && path.startsWith(`${family.path}/{id}/`) ? [path.slice(path.lastIndexOf('/') + 1)] : [],
  )
  const bodies = bodiesOf(example, [create, update], dialect, modules)
  const parents = Object.entries(example.needs ?? {})
  const filter = example.filter ?? 'obj.id == "{a}"'
  return [
    ...parents.map(([name, need]) => saveIdAs(name, makerFor(need).create('that another resource needs', need.body))),
    ...creationSteps(family, bodies),
    ...pageSteps(make.list('of one', 'limit=1'), 'next'),
    make.list('an exactly full page', 'limit=2'),
    make.list('a page after a cursor', 'limit=5&before_id={b}'),
    make.list('a page after the last one', 'before_id={a}'),
    ...changeSteps(family, bodies),
    ...filterSteps(make, filter, filterTexts(list, bodies), hasFilter(list, dialect)),
    ...furtherChangeSteps(family, bodies, unknownIdFor(operation('get'))),
    ...subresourceSteps({ ...family, id: '{a}', values: bodies.values, get: make.get('', '{a}') }),
    ...deletionSteps(family, bodies, unknownIdFor(operation('get'))),
  ]
}

function creationSteps({ make, example, groups }: Family, bodies: Bodies): Step[] {
  const { create, second } = bodies
  return [
    saveIdAs('a', make.create('with every field', create)),
    make.get('after its creation', '{a}'),
    ...furtherCreations(example, bodies).map(([what, body]) => make.create(`with ${what}`, body)),
    ...unknownReferences(example, create, groups).map(([what, body]) => make.create(`with ${what}`, body)),
    ...unreadableCreations(make, create),
    saveIdAs('b', make.create('with few fields', second)),
    make.get('after its creation', '{b}'),
    make.create('a second time', create),
    make.list('both', ''),
  ]
}

/** Returns bodies that refer to nonexistent resources or to a resource of another kind. */
function unknownReferences({ needs = {} }: FamilyExample, create: object, groups: Groups): [string, object][] {
  const json = JSON.stringify(withOtherNames(create))
  return Object.entries(needs).flatMap(([name, { family }]): [string, object][] => {
    if (!json.includes(`{${name}}`)) return []
    const get = groups.get(family)?.find((each) => each.name === `${family}.get`)
    const withId = (id: string) => JSON.parse(json.replaceAll(`{${name}}`, id))
    return [
      [`an unknown ${name}`, withId(unknownIdFor(get))],
      [`a ${name} of another kind`, withId('{a}')],
    ]
  })
}

function unreadableCreations(make: StepMaker, create: object): Step[] {
  const other = withOtherNames(create)
  const json = JSON.stringify(other)
  return [
    { ...make.create('with a body that is not JSON', other), body: `${json.slice(0, -1)},` },
    make.create('with a list as the body', [other]),
    { ...make.create('with another content type', other), headers: { 'content-type': 'text/plain' } },
  ]
}

function changeSteps({ make }: Family, bodies: Bodies): Step[] {
  const { update } = bodies
  return [
    make.update('with every field', '{a}', update),
    make.get('after its change', '{a}'),
    make.update('without any field', '{a}', {}),
    make.update('with an unknown field', '{a}', { fauxgate_verify: 1 }),
    { ...make.update('with another content type', '{a}', update), headers: { 'content-type': 'text/plain' } },
    make.get('after rejected changes', '{a}'),
    make.list('both, after a change', ''),
  ]
}

/** Returns the strings of the first resource after its change, by the fields that filters can name. */
function filterTexts({ filterable }: Operation, { create, update }: Bodies): Readonly<Record<string, string>> {
  const texts = Object.entries({ ...create, ...update }).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && entry[1].length < 100 && (filterable?.some((each) => each === entry[0]) ?? true),
  )
  // Put names before descriptions.
  return Object.fromEntries(texts.reverse())
}

function furtherChangeSteps({ make, example }: Family, bodies: Bodies, unknownId: string): Step[] {
  const { update, fields } = bodies
  const extremes = extremeTexts(fields.update)
  return [
    ...furtherChanges(example, bodies).map(([what, body]) => make.update(`with ${what}`, '{a}', body)),
    ...extremes.map(([what, body]) => make.update(`with ${what}`, '{a}', body)),
    make.get('after these changes', '{a}'),
    make.update('with every field again', '{a}', update),
    ...extremes.slice(0, 1).map(([what, body]) => make.update(`with nothing but ${what}`, '{b}', body)),
    make.update('with the values of the other resource', '{b}', update),
    make.update('of an unknown ID', unknownId, update),
    make.list('both, after these changes', ''),
  ]
}

/**
 * Returns the referring fields of the first body that refers to a resource. Returns undefined if no body refers to it.
 */
function usesOf(name: string, bodies: readonly ExampleBody[]): ExampleBody | undefined {
  const isNamed = (value: unknown) => JSON.stringify(value).includes(`{${name}}`)
  const found = bodies.find(isNamed)
  return found && pick(found, (field) => isNamed(found[field]))
}

function deletionSteps({ make, example, groups }: Family, bodies: Bodies, unknownId: string): Step[] {
  const { create, second, update } = bodies
  const own = groups.get(make.group) ?? []
  const parents = Object.entries(example.needs ?? {})
  const ofUpdate = (body: ExampleBody) => pick(body, (field) => Object.hasOwn(bodies.fields.update, field))
  // If the part were missing, even a server that does nothing would seem to detach it.
  const setSubresource = (part: string) =>
    [part, `${part}_id`].flatMap((field) => {
      const value = create[field] ?? update[field]
      const isChangeable = value !== undefined && Object.hasOwn(bodies.fields.update, field)
      return isChangeable ? [make.update(`with its ${field}, which is detached next`, '{a}', { [field]: value })] : []
    })
  const isUsedBySecond = JSON.stringify(second).includes('{a}')
  return [
    ...(isUsedBySecond ? [make.update('with its first values', '{b}', ofUpdate(second))] : []),
    ...(isUsedBySecond ? [make.remove('while another one uses it', '{a}')] : []),
    ...detachmentSteps(own, '{b}', { get: make.get('without its parts', '{b}') }),
    ...detachmentSteps(own, '{a}', { get: make.get('without its parts', '{a}'), set: setSubresource }),
    ...parents.flatMap(([name, { family }]) => detachmentSteps(groups.get(family) ?? [], `{${name}}`)),
    ...make.removal('{b}'),
    make.list('with one remaining', ''),
    make.list('a page after a deleted one', 'limit=5&before_id={b}'),
    make.create('with the values of a deleted one', second),
    // Restores the references that the last change or a detachment removed.
    ...(parents.length > 0 ? [make.update('with the resources that it needs', '{a}', ofUpdate(create))] : []),
    ...parents.flatMap(([name, need]) => {
      const use = usesOf(name, [ofUpdate(update), ofUpdate(second)])
      const isUsed = use === undefined || JSON.stringify(create).includes(`{${name}}`)
      return [
        ...(isUsed ? [] : [make.update(`with its ${name}`, '{a}', use)]),
        makerFor(need).remove('of a resource that another one needs', `{${name}}`),
      ]
    }),
    ...parents.map(([name, need]) => makerFor(need).get('after its deletion', `{${name}}`)),
    make.get('after the deletion of a resource that it needs', '{a}'),
    ...(parents.length > 0
      ? [
          make.list('after the deletion of a resource that it needs', ''),
          make.update('after the deletion of a resource that it needs', '{a}', { description: '{mark}' }),
          make.create('that refers to a deleted resource', withOtherNames(create)),
        ]
      : []),
    ...make.removal('{a}'),
    make.remove('a second time', '{a}'),
    make.remove('of an unknown ID', unknownId),
    make.update('after its deletion', '{a}', update),
    make.list('after both were deleted', ''),
    ...parents.reverse().flatMap(([name, need]) => makerFor(need).removal(`{${name}}`)),
  ]
}
