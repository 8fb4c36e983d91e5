import { State } from '../../components/state'

export const getStaticPaths = () => ({
  paths: ['/fallback-false-rewrite/first', '/fallback-false-rewrite/second'],
  fallback: false,
})

export const getStaticProps = () => ({ props: { isListed: true } })

export default function Name(props: object) {
  return <State props={props} />
}
