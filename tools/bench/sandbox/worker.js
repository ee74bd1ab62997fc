export { Account, default, Sandbox } from '../../../dist/sandbox.js'
