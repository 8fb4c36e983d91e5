import { State } from '../../components/state'
import common from '../../lib/hashbang/common.cjs'
import module from '../../lib/hashbang/module.mjs'
import plain from '../../lib/hashbang/plain.js'

export default function Programs() {
  return <State props={{ plain, module, common }} />
}
