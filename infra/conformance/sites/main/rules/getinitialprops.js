const at = '/getinitialprops'

module.exports = {
  afterFiles: [{ source: `${at}/stalls/corner/:number`, destination: `${at}/stalls/:number` }],
}
