const at = '/prerender'

module.exports = {
  afterFiles: [
    { source: `${at}/star-number/:number`, destination: `${at}/stars/star-:number` },
    { source: `${at}/about`, destination: `${at}/lang/en/about` },
    { source: `${at}/waits-behind`, destination: `${at}/waits/behind` },
  ],
}
