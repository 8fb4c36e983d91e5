// A shell whose data is never available.

export const getStaticPaths = async () => ({ paths: [], fallback: true })

export const getStaticProps = async () => {
  throw new Error('no data')
}

export default function Shell() {
  return <h1>Shell</h1>
}
