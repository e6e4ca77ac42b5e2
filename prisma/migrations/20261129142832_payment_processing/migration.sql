-- AlterEnum
ALTER TYPE "PurchaseStatus" ADD VALUE 'PROCESSING';
