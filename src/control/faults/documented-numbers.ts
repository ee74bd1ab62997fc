import type { CommonDialect } from '../../core/schema/dialect.ts'
import type { CatalogueError } from '../../core/schema/errors.ts'

/** The error codes that ngrok documents, from its reference as of 2026-08-07. */
const NUMBERS = `
  100 102-103 105-112 115-116 118-128 200-208 210-221 223-233 235-236 238-244 247-251 300-304 307-324 326-341 343-368
  370-436 438-451 455-461 500-509 511-517 600-615 617 619-620 622 627-638 702-703 708 714-722 724-743 800-813
  1000-1008 1010-1032 1100-1123 1125 1200 1202-1208 1210-1233 1400-1402 1404-1415 1417 1419-1423 1500-1501 1600-1602
  1607-1609 1611-1662 1667-1670 1672-1675 1679-1702 1800-1808 1900-1927 1929-1930 1934-1943 1945-1954 1956 1958 1960
  1962-1966 2032 2062-2063 2065 2067 2069-2071 2087 2089-2095 2097 2200-2219 2221-2267 2300 3002-3010 3100-3127
  3150-3152 3160-3167 3200 3202-3206 3208-3214 3300-3313 3401 3403 3406 3408 3411-3416 3422 3501 3601-3604 3700-3702
  3800-3819 3900-3905 4001 4003-4005 4011-4028 4100-4101 4103-4112 4114-4119 4200-4202 4300-4305 4400-4405 4407-4416
  4451-4455 4500-4504 4701-4702 5000-5001 5100 5102-5108 5112 5115-5120 5122-5141 5200-5212 5300-5327 5400-5406
  5500-5504 5507-5508 5510-5513 5517-5518 5520-5539 6000-6003 6006 6008-6011 6013-6014 6018-6033 6500-6517 6522-6531
  6600-6609 6612-6623 6700-6711 7000-7002 7007-7009 7011-7062 7067-7075 7079-7196 8000-8014 9000-9043 10000-10014
  10019-10034 10062-10069 10072-10092 11000-11006 12000 13001-13009 14000-14002 15000-15014 16000 17000-17006
  18001-18024 19000-19003 20000-20006 21000 22000-22001 23000-23005 24000-24009 25000 26000-26002 26004-26038
  27001-27009 27201-27208 27210-27237 27501-27511 27601-27607 27609-27615 27701-27718 28000-28001 29000 30000
`

const PREFIX = 'ERR_NGROK_'

/**
 * Returns the error for a code that ngrok documents but no rule of fauxgate uses, such as `ERR_NGROK_26014`. Its message links to the page
 * that explains the error. Returns undefined for any other code, and in other dialects.
 */
export function findDocumentedError(code: string, { errorPrefix }: CommonDialect): CatalogueError | undefined {
  const number = Number(code.slice(PREFIX.length))
  if (errorPrefix !== PREFIX || code !== `${PREFIX}${number}` || !isDocumented(number)) return undefined
  const page = `https://ngrok.com/docs/errors/err_ngrok_${number}`
  return {
    key: `service_error_${number}`,
    number,
    status: 400,
    message: () => `The service rejected this. See ${page}`,
  }
}

function isDocumented(number: number): boolean {
  return listRanges().some(({ first, last }) => number >= first && number <= last)
}

/** Returns the ranges of the documented codes. */
export function listRanges(): { readonly first: number; readonly last: number }[] {
  return NUMBERS.trim()
    .split(/\s+/)
    .map((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return { first, last }
    })
}
