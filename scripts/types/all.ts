import type { Families } from '../../src/contract/family.ts'
import { general } from '../../src/contract/general-errors.ts'
import { controlErrors } from '../../src/control/index.ts'
import { declared } from '../../src/resources/declarations.ts'
import { families } from '../../src/resources/index.ts'
import { type Files, typesOf } from './families.ts'

/** The types of fauxgate's own families, as they stand in `src/resources/types`. */
export function allTypes(): Files {
  const all: Families = families
  const own = [...Object.values(all), declared].flatMap((family) => Object.keys(family.errors))
  const errors = [...Object.keys(general), ...own, ...controlErrors.flatMap(Object.keys)]
  return typesOf(all, [...new Set(errors)])
}
