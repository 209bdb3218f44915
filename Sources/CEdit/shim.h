#pragma once
#include <stdio.h>
#include <histedit.h>
