/**
 * The parts that families are made of: those of a test, and fauxgate's own. Schemas are valibot's.
 *
 * @module
 */
export { type Collection, collection, type Due, type Index, type Indexed } from '../operation/collection.ts'
export type { OtherNames } from '../operation/dialect-body.ts'
export {
  type ErrorsByKey,
  type Families,
  type Family,
  familyOf,
  type OtherRecords,
  ownPart,
  type ReportRelation,
} from '../operation/family.ts'
export type { ListInput, ListQuery, Page } from '../operation/list.ts'
export {
  type CallOf,
  errorsOf,
  listOperation,
  type Operation,
  operation,
  operationWithBody,
  type PathIds,
} from '../operation/operation.ts'
export {
  described,
  descriptionOf,
  type RecordOf,
  type ResourceFamily,
  type ResourceKind,
  type ResourceRecord,
  type ResourceRules,
  required,
  resource,
  type ShownOf,
} from '../operation/resource.ts'
export type { Transaction } from '../operation/transaction.ts'
export { refTo, type View, type Wire } from '../operation/view.ts'
export type { CommonDialect, Rules } from '../schema/dialect.ts'
export { documented, type Facts, facts, type JsonFacts, named } from '../schema/documentation.ts'
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
} from '../schema/errors.ts'
export { general } from '../schema/general-errors.ts'
export { isIdOf } from '../schema/ids.ts'
export { integerFrom, oneOfThese } from '../schema/options.ts'
export {
  count,
  dueTime,
  idOf,
  instant,
  ownId,
  recordHead,
  recordRule,
  scheduledTime,
  seconds,
  someText,
} from '../schema/record-schema.ts'
export type { RuleContext } from '../schema/rule.ts'
export { type Report, readBy, rule, ruleOnWhole } from '../schema/rule.ts'
export {
  anyObject,
  blankIsAbsent,
  DESCRIPTION,
  description,
  enabled,
  extra,
  METADATA,
  metadata,
  oneOf,
  REGIONS,
  type Region,
  ref,
  reference,
  refusedAs,
  region,
  resourceHead,
  secret,
  textOfBytes,
  time,
} from '../schema/schema.ts'
export { withoutSecretFields } from '../schema/secret-fields.ts'
export { quote, quoteSecret } from '../schema/text.ts'
export { timestamp } from '../schema/time.ts'
export { deepFreeze, type Frozen, isObject } from '../schema/values.ts'
