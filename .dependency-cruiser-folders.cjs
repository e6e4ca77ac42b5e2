const { options } = require('./.dependency-cruiser.cjs');

/** Folders of the product's code are read in one order, as files are. @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-folders',
      severity: 'error',
      comment: 'Move a file, or what both folders need, so that one of them can be read first.',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    ...options,
    exclude: {
      path: `${options.exclude.path}|\\.(spec|e2e|nightly)\\.tsx?$|/(test|tools)/|/generated/`,
    },
  },
};
