// SPDX-License-Identifier: MPL-2.0

// Package query answers every list and counting operation of the simulated
// Tower: filters with all of their operators, order and paging.
//
// Tower's read operations behave like the generated queries of Prisma 1 on an
// SQL database, and so does this package where the two could differ:
//
//   - a filter on an absent value is neither true nor false, so neither
//     {name: "a"} nor {name_not: "a"} nor NOT finds a row whose name is null;
//     {name: null} and {name_not: null} ask for absence and presence;
//   - the filters in NOT are negated one by one, an empty AND or NOT holds, an
//     empty OR does not;
//   - a nested filter on a to-one relation, be it {}, needs the related row;
//   - rows are ordered by id unless told otherwise, equal ones by ascending id
//     whatever the direction; nulls are last in ascending and first in
//     descending order;
//   - a cursor need not match the filter; an unknown cursor, or one whose
//     ordering value is null, gives an empty page, and rows whose ordering
//     value is null are on no page that has a cursor.
//
// Which fields exist comes from a table that is generated from the API
// description together with the types of package wire.
package query
