/** The site of suites whose `_app` has getInitialProps. Paths of a suite begin with its name. */
module.exports = {
  // The types of Portico are not those of Next.js.
  typescript: { ignoreBuildErrors: true },
  crossOrigin: 'anonymous',
}
