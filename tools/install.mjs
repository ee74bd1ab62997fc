// Installs the packages that only slow tests and checks use, unless they are there: `node tools/install.mjs`. A program that
// needs one imports this file first.
import { join } from 'node:path'
import { installLocked, root } from '../scripts/shared.mjs'

installLocked(join(root, 'tools'))
