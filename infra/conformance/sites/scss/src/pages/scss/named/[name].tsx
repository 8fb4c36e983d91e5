import styles from '../route.module.scss'

export default function Named() {
  return (
    <p id="placed" className={styles.placed}>
      A page of a name.
    </p>
  )
}
