import type { StoredVersions } from '../../core/store/sql-store.ts'
import type { GroupedStore } from '../sqlite/sqlite-store.ts'

/** Describes the version changes of a migration. Returns undefined if there were none. */
export function migrationText(before: StoredVersions | undefined, store: GroupedStore): string | undefined {
  const after = store.versions()
  if (!before || !after) return undefined
  const changed = (['tables', 'records'] as const).filter((part) => before[part] !== after[part])
  if (changed.length === 0) return undefined
  return changed.map((part) => `${part} from version ${before[part]} to ${after[part]}`).join(', ')
}
