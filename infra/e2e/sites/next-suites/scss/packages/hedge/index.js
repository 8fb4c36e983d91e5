module.exports = { name: 'hedge' }
