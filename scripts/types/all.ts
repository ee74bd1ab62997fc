import { controlErrors } from '../../src/controls.ts'
import type { Families } from '../../src/operation/family.ts'
import { declared } from '../../src/resources/declarations.ts'
import { families } from '../../src/resources/index.ts'
import { general } from '../../src/schema/general-errors.ts'
import { type Files, typesOf } from './families.ts'

/** The types of fauxgate's own families, as they stand in `src/resources/types`. */
export function allTypes(): Files {
  const all: Families = families
  const own = [...Object.values(all), declared].flatMap((family) => Object.keys(family.errors))
  const errors = [...Object.keys(general), ...own, ...controlErrors.flatMap(Object.keys)]
  return typesOf(all, [...new Set(errors)])
}
