/**
 * The building blocks for families, in tests and in fauxgate itself. Schemas are valibot schemas.
 *
 * @module
 */
export { type Collection, collection } from '../../core/operation/collection.ts'
export {
  declaration,
  type Families,
  type Family,
  familyOf,
  recordsOf,
  sectionReader,
} from '../../core/operation/family.ts'
export { accountLimits, tooFast, tooMany } from '../../core/operation/limit.ts'
export { type Page, pageAt, pageOf } from '../../core/operation/list.ts'
export {
  errorsOf,
  listOperation,
  type Operation,
  operation,
  operationWithBody,
} from '../../core/operation/operation.ts'
export { type ResourceFamily, readOperations, required, resource } from '../../core/operation/resource.ts'
export { described, descriptionOf, newHead, type ResourceRecord, viewHead } from '../../core/operation/resource-head.ts'
export type { RecordOf, ResourceOf } from '../../core/operation/resource-kind.ts'
export { schedule } from '../../core/operation/schedule.ts'
export type { Transaction } from '../../core/operation/transaction.ts'
export { refTo, type View, type Wire } from '../../core/operation/view.ts'
export { documented, named } from '../../core/schema/documentation.ts'
export { declareErrors, entry, field, ofField, type Problem, refuse } from '../../core/schema/errors.ts'
export { general } from '../../core/schema/general-errors.ts'
export { suggestion } from '../../core/schema/nearest.ts'
export { integerFrom, sentDuration } from '../../core/schema/options.ts'
export { count, dueTime, idOf, recordHead, sequenceNumber } from '../../core/schema/record-schema.ts'
export { rule, ruleOnWhole } from '../../core/schema/rule.ts'
export {
  description,
  extra,
  metadata,
  oneOf,
  ref,
  refusedAs,
  resourceHead,
  secret,
  secretHere,
  time,
} from '../../core/schema/schema.ts'
export { quote } from '../../core/schema/text.ts'
export { timestamp } from '../../core/schema/time.ts'
export type { Frozen } from '../../core/schema/values.ts'
export { addresses } from '../resources/reserved-addrs.ts'
export { domains } from '../resources/reserved-domains/records.ts'
