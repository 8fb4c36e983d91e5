// Plans a stack on one machine before any process starts: reads the options of the command, checks memory, folders and ports, and
// decides processes, addresses, secrets and environments. stack.ts starts what is planned here.

export { readAppEnvironment, watchAppEnvironment } from './app-environment.ts'
export { prepareDataFolder } from './data-folder.ts'
export { listenHost, networkAddresses } from './listen-host.ts'
export { readOptions } from './options.ts'
export {
  appEnvironmentOf,
  innerUrlAt,
  LOOPBACK,
  type PlanConfig,
  type PlannedReplica,
  planStack,
} from './plan-stack.ts'
export { checkMachine } from './preflight.ts'
export { OptionError, readScale } from './scale.ts'
