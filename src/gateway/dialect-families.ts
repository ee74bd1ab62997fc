import { ngrokFamilies } from '../ngrok/families.ts'
import type { Families } from '../operation/family.ts'
import type { DialectName } from '../resources/dialects.ts'

/** The families that dialects have in addition to the standard ones. */
export const dialectFamilies: Readonly<Partial<Record<DialectName, Families>>> = { ngrok: ngrokFamilies }
