import type { Families } from '../core/operation/family.ts'
import { ngrokFamilies } from '../service/ngrok/families.ts'
import type { DialectName } from '../service/resources/dialects.ts'

/** The families of dialects, in addition to the standard families. */
export const dialectFamilies: Readonly<Partial<Record<DialectName, Families>>> = { ngrok: ngrokFamilies }
