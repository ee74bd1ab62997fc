/**
 * What families of a test's own are made of; fauxgate's own are made of the same. Schemas are valibot's.
 *
 * @module
 */
export { type Collection, collection, type Due, type Index, type Indexed } from '../contract/collection.ts'
export { described, descriptionOf } from '../contract/described.ts'
export type { CommonDialect } from '../contract/dialect.ts'
export type { OtherNames } from '../contract/dialect-body.ts'
export { documented, type Facts, facts, type JsonFacts, named } from '../contract/documentation.ts'
export {
  type CatalogueError,
  declareErrors,
  emptyUpdate,
  entry,
  type FieldError,
  type FieldFacts,
  field,
  ofField,
  type Problem,
  problem,
  Refusal,
  refuse,
  tooLong,
} from '../contract/errors.ts'
export {
  type ErrorsByKey,
  type Families,
  type Family,
  familyOf,
  type OtherRecords,
  type ReportRelation,
} from '../contract/family.ts'
export { general } from '../contract/general-errors.ts'
export { isIdOf } from '../contract/ids.ts'
export { isObject } from '../contract/json.ts'
export type { ListInput, ListQuery } from '../contract/list-query.ts'
export {
  type CallOf,
  listOperation,
  type Operation,
  operation,
  operationWithBody,
  type PathIds,
} from '../contract/operation.ts'
export { errorsOf } from '../contract/operation-errors.ts'
export { ownPart } from '../contract/own-part.ts'
export type { Page } from '../contract/page.ts'
export { quote, quoteSecret } from '../contract/quote.ts'
export type { RuleContext } from '../contract/reading.ts'
export {
  count,
  dueTime,
  idOf,
  instant,
  oneOfThese,
  ownId,
  recordHead,
  recordRule,
  scheduledTime,
  seconds,
  someText,
} from '../contract/record-schema.ts'
export { REGIONS, type Region } from '../contract/regions.ts'
export {
  type RecordOf,
  type ResourceFamily,
  type ResourceKind,
  type ResourceRecord,
  type ResourceRules,
  required,
  resource,
  type ShownOf,
} from '../contract/resource.ts'
export { type Report, readBy, rule, ruleOnWhole } from '../contract/rule.ts'
export type { Rules } from '../contract/rules.ts'
export {
  anyObject,
  blankIsAbsent,
  DESCRIPTION,
  description,
  enabled,
  extra,
  integerFrom,
  METADATA,
  metadata,
  oneOf,
  ref,
  reference,
  refusedAs,
  region,
  resourceHead,
  secret,
  textOfBytes,
  time,
} from '../contract/schema.ts'
export { withoutSecretFields } from '../contract/secret-fields.ts'
export type { Transaction } from '../contract/transaction.ts'
export { deepFreeze, type Frozen, refTo, timestamp, type View, type Wire } from '../contract/view.ts'
