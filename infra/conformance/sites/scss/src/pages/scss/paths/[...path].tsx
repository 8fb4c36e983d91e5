import styles from '../route.module.scss'

export default function Paths() {
  return (
    <p id="placed" className={styles.placed}>
      A page of many paths.
    </p>
  )
}
