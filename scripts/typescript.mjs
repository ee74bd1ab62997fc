// The compiler: Node takes a third of the time to require its nine megabytes, compared with an import.
import { createRequire } from 'node:module'

export default createRequire(import.meta.url)('typescript')
