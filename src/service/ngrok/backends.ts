/** The errors, records, and rules common to all kinds of backends. */
import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata, refuseUnless } from './shared.ts'

/** The errors shared by all kinds of backends. */
export const backendErrors = {
  ...parts.backendErrors,
  ...kit.declareErrors({
    backends_not_allowed: kit.tooMany(6500),
    backend_description_too_long: parts.tooLong(6503),
    backend_metadata_too_long: parts.tooLong(6504),
  }),
}

/** The part of the heading that is common to all kinds of backends. */
export const backendHeading = {
  items: 'backends',
  filterable: [],
  limit: { none: backendErrors.backends_not_allowed },
  texts: descriptionAndMetadata({
    description: backendErrors.backend_description_too_long,
    metadata: backendErrors.backend_metadata_too_long,
  }),
  keptTexts: descriptionAndMetadata(),
} as const

/** The ID of a backend of any kind. */
export const backendId = v.pipe(
  v.string(),
  refuseUnless(backendErrors.child_backend_invalid, (id) => parts.isIdOf(id, 'bkd')),
)

/** Declares a new backend, so that other resources can refer to it. Returns its record. */
export function declareBackend<R extends kit.ResourceRecord>(tx: kit.Transaction, record: R): R {
  parts.declareMade(tx, record.id)
  return record
}

/** The rules for deleting a backend. */
export const backendDeletion = {
  before: (tx: kit.Transaction, { id }: kit.ResourceRecord) => parts.undeclare(tx, id),
}
