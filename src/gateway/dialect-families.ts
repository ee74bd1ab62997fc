import { ngrokFamilies } from '../ngrok/families.ts'
import type { Families } from '../operation/family.ts'
import type { DialectName } from '../resources/dialects.ts'

/** The families that dialects have beside those of the standard one. */
export const dialectFamilies: Readonly<Partial<Record<DialectName, Families>>> = { ngrok: ngrokFamilies }
