import * as v from 'valibot'
import { named } from '../kit/index.ts'
import { edgeFields } from './edge-records.ts'

/** Makes the bodies that create and change an edge: the fields of every edge, and one for each of its modules. */
export function edgeBodies<const Modules extends v.ObjectEntries>(
  name: `${string}Edge`,
  what: string,
  modules: Modules,
  example: object,
) {
  const fields = { ...edgeFields, ...modules }
  const json = { examples: [example] }
  return {
    createBody: named(v.object(fields), `${name}Create`, `The body that creates ${what}.`, { json }),
    updateBody: named(v.object(fields), `${name}Update`, `The changes of ${what}. Modules that are not sent stay.`, {
      json: { examples: [{ metadata: 'm' }] },
    }),
  }
}
