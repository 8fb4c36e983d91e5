import * as around from './around.module.scss'
import styles from './modules.module.scss'
import { warm } from './plain.module.scss'

export default function Modules() {
  return (
    <main>
      <p id="warm" className={warm}>
        A name of a module.
      </p>
      <p id="of-config" className={styles.ofConfig}>
        A value of the configuration.
      </p>
      <p id="of-parts" className={styles.ofParts}>
        A value of a folder of the configuration.
      </p>
      <p id="divided" className={styles.divided}>
        A division.
      </p>
      <p id="composed" className={styles.composed}>
        Two classes of a module.
      </p>
      <p id="composed-outside" className={styles.composedOutside}>
        Classes of two modules.
      </p>
      <div id="around" className={around.around}>
        <span className="upper">Global names inside of a name of the module.</span>
      </div>
    </main>
  )
}
