export const getStaticPaths = () => ({ paths: [{ params: { path: ['one'] } }], fallback: false })
export const getStaticProps = () => ({ props: {} })

export default function Closed() {
  return <h1>Closed</h1>
}
