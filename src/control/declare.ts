import * as v from 'valibot'
import { isIdOf } from '../contract/ids.ts'
import { rule, ruleOnWhole } from '../contract/schema.ts'
import { declare } from '../resources/declarations.ts'
import { control } from './control-operation.ts'

/** An id of a type; a backend's prefix says more than "bkd", the others are whole. */
const idOf = (prefix: string) =>
  v.pipe(
    v.string(),
    rule<string>((id, report) => {
      const isRight = isIdOf(id, prefix === 'bkd' ? prefix : `${prefix}_`)
      if (!isRight) report('field_invalid', { allowed: `an id that starts with "${prefix}", "_", letters and digits` })
    }),
  )

const fields = v.object({
  edge: v.optional(idOf('edghts')),
  /** Routes of the edge. */
  routes: v.optional(v.array(idOf('edghtsrt'))),
  endpoint_configuration: v.optional(idOf('ec')),
  backend: v.optional(idOf('bkd')),
})

const consistent = ruleOnWhole<v.InferOutput<typeof fields>>((sent, report) => {
  const names = ['edge', 'endpoint_configuration', 'backend'] as const
  if (names.every((name) => sent[name] === undefined))
    report('field_invalid', { allowed: `one of ${names.join(', ')}` })
  if (sent.routes !== undefined && sent.edge === undefined) {
    report('field_invalid', { allowed: 'routes together with their edge' }, { path: ['routes'], value: sent.routes })
  }
})

export const declareControl = control({
  method: 'POST',
  path: '/declare',
  summary: 'Make edges with routes, endpoint configurations and child backends exist',
  from: 'body',
  input: v.pipe(fields, consistent),
  run: (host, { edge, routes = [], endpoint_configuration, backend }) =>
    host.control((tx) => {
      for (const id of [edge, endpoint_configuration, backend]) if (id !== undefined) declare(tx, id)
      for (const route of routes) declare(tx, route, edge)
    }),
})
